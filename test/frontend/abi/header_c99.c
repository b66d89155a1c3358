/* SPDX-License-Identifier: BSD-3-Clause */
/* The headers as strict C99, and one op through each of the boxed and the typed way. */
#include "wick/abi.h"
#include "wick/ops.h"

#include <stddef.h>
#include <stdio.h>

#define CHECK(condition)                                                                                               \
    if (!(condition)) return printf("line %d: %s\n", __LINE__, #condition), 1

typedef char value_has_16_bytes[sizeof(wick_value) == 16 ? 1 : -1];
typedef char union_is_at_8[offsetof(wick_value, u) == 8 ? 1 : -1];

int main(void) {
    const float numbers[] = {1, 2, 3};
    const int64_t sizes[] = {3};
    float *data = 0;
    wick_object *x = 0, *y = 0;
    CHECK(wick_tensor_from_data(numbers, WICK_FLOAT32, sizes, 1, &x) == WICK_OK);
    CHECK(wk_add(x, x, wick_v_int(2), &y) == WICK_OK);
    CHECK(wick_tensor_data(y, (void **)&data) == WICK_OK && data[2] == 9);
    wick_release(y);
    y = 0;
    CHECK(wk_add(x, x, wick_v_unset(), &y) == WICK_OK);
    CHECK(wick_tensor_data(y, (void **)&data) == WICK_OK && data[2] == 6);
    CHECK(wk_add(x, 0, wick_v_unset(), &y) == WICK_E_TYPE);
    wick_error *e = wick_error_take();
    CHECK(strstr(wick_error_message(e), "Tensor b"));
    wick_error_free(e);
    CHECK(wk_add(x, x, wick_v_unset(), 0) == WICK_E_ARG);
    wick_error_free(wick_error_take());

    wick_object *both = 0;
    const wick_value list[] = {wick_v_object(x), wick_v_object(y)};
    CHECK(wk_cat(list, 2, 0, &both) == WICK_OK);
    uint32_t ndim = 0;
    int64_t n = 0;
    CHECK(wick_tensor_sizes(both, 1, &n, &ndim) == WICK_OK && ndim == 1 && n == 6);
    wick_release(x);
    wick_release(y);
    wick_release(both);
    return 0;
}
