/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/device.h"
#include "core/tensor.h"

#include <stdio.h>
#include <string.h>

const char *th_sizes_text(th_text buf, const int64_t *sizes, int32_t ndim) {
    size_t n = 0, cap = sizeof(th_text) - 8; /* room for ", ...]" */
    buf[n++] = '[';
    for (int32_t i = 0; i < ndim; i++) {
        char number[24];
        int len = snprintf(number, sizeof number, i ? ", %lld" : "%lld", (long long)sizes[i]);
        if (n + (size_t)len > cap) {
            memcpy(buf + n, ", ...", 5);
            n += 5;
            break;
        }
        memcpy(buf + n, number, (size_t)len);
        n += (size_t)len;
    }
    buf[n++] = ']';
    buf[n] = 0;
    return buf;
}

/* " on cuda:0" where that is not the CPU. Returns the length it wanted. */
static int64_t add_device(char *buf, size_t cap, const THTensor *t) {
    th_device_text name;
    if (t->storage->device == TH_CPU) return 0;
    return snprintf(buf, cap, " on %s", th_device_name(name, t->storage->device));
}

const char *th_tensor_text(th_text buf, const THTensor *t) {
    th_text sizes;
    if (!t) return strcpy(buf, "NULL");
    const int n =
        snprintf(buf, sizeof(th_text), "%s%s", TH_dtype_name(t->dtype), th_sizes_text(sizes, th_sizes(t), t->ndim));
    if (n > 0 && n < (int)sizeof(th_text)) add_device(buf + n, sizeof(th_text) - (size_t)n, t);
    return buf;
}

int64_t THTensor_describe(const THTensor *t, char *buf, int64_t cap) {
    char text[64 + TH_MAX_DIM * 22] = "NULL";
    int64_t n = 4;
    if (t) {
        n = snprintf(text, sizeof text, "%s[", TH_dtype_name(t->dtype));
        for (int32_t i = 0; i < t->ndim; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, i ? ", %lld" : "%lld", (long long)th_sizes(t)[i]);
        n += snprintf(text + n, sizeof text - (size_t)n, "]");
        n += add_device(text + n, sizeof text - (size_t)n, t);
    }
    if (buf && cap > 0) snprintf(buf, (size_t)cap, "%s", text);
    return n;
}
