/* SPDX-License-Identifier: BSD-3-Clause */
/* Somebody's program over an installed TH. */
#include <TH/TH.h>
#include <stdio.h>

int main(void) {
    THTensor *x = NULL, *y = NULL;
    THScalar sum;
    const THScalar start = {.kind = TH_SCALAR_INT, .v.i = 0}, end = {.kind = TH_SCALAR_INT, .v.i = 5},
                   step = {.kind = TH_SCALAR_INT, .v.i = 1};
    THStatus status = TH_arange(&x, &start, &end, &step, TH_FLOAT32);
    if (status == TH_OK) status = TH_mul(&y, x, x);
    THTensor_free(x);
    x = NULL;
    if (status == TH_OK) status = TH_sum(&x, y, NULL, 0, 0);
    if (status == TH_OK) status = THTensor_item(&sum, x);
    THTensor_free(x);
    THTensor_free(y);
    if (status != TH_OK) {
        fprintf(stderr, "%s\n", TH_error_message());
        return 1;
    }
    printf("%g\n", sum.v.d);
    return sum.v.d == 30 ? 0 : 1;
}
