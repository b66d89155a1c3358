/* SPDX-License-Identifier: BSD-3-Clause */
/* Somebody's program over the C ABI of an installed wick. */
#include <stdio.h>
#include <wick/abi.h>

int main(void) {
    const float numbers[3] = {1, 2, 3};
    const int64_t size = 3;
    uint32_t room = 1;
    wick_object *x = 0;
    wick_op *dot = 0;
    wick_value args[2], product = wick_v_unset(), number = wick_v_unset();
    int32_t status = wick_tensor_from_data(numbers, WICK_FLOAT32, &size, 1, &x);
    if (status == WICK_OK) status = wick_op_find("dot", &dot);
    args[0] = args[1] = wick_v_object(x);
    if (status == WICK_OK) status = wick_op_call(dot, args, 2, 0, 0, &product, &room, 0);
    if (status == WICK_OK) status = wick_tensor_item(product.u.o, &number);
    wick_value_clear(&product);
    wick_release(x);
    if (status != WICK_OK) {
        wick_error *e = wick_error_take();
        fprintf(stderr, "%s\n", wick_error_message(e));
        wick_error_free(e);
        return 1;
    }
    printf("%g\n", number.u.f);
    return number.u.f == 14 ? 0 : 1;
}
