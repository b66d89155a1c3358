/* SPDX-License-Identifier: BSD-3-Clause */
/* Somebody's program over an installed THNN: a convolution and a softmax. */
#include <TH/TH.h>
#include <THNN/THNN.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    const float image[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, kernel[4] = {1, 0, 0, -1};
    const int64_t image_sizes[4] = {1, 1, 3, 3}, kernel_sizes[4] = {1, 1, 2, 2}, first[4] = {0, 0, 0, 0};
    const THNNConv geometry = {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1};
    THTensor *x = NULL, *w = NULL, *y = NULL, *p = NULL;
    THScalar value = {0}, share = {0};
    THStatus status = THTensor_new_copy(&x, TH_FLOAT32, image_sizes, 4, image);
    if (status == TH_OK) status = THTensor_new_copy(&w, TH_FLOAT32, kernel_sizes, 4, kernel);
    if (status == TH_OK) status = THNN_conv2d(&y, x, w, NULL, &geometry);
    if (status == TH_OK) status = THNN_softmax(&p, y, -1);
    if (status == TH_OK) status = THTensor_get(&value, y, first);
    if (status == TH_OK) status = THTensor_get(&share, p, first);
    THTensor_free(x);
    THTensor_free(w);
    THTensor_free(y);
    THTensor_free(p);
    if (status != TH_OK) {
        fprintf(stderr, "%s\n", TH_error_message());
        return 1;
    }
    printf("%g %g (%s)\n", value.v.d, share.v.d, THNN_conv_backend());
    return value.v.d == -4 && fabs(share.v.d - 0.5) < 1e-6 ? 0 : 1;
}
