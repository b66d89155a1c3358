/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/runtime.h"
#include "TH/sys.h"

#include <stdlib.h>
#include <string.h>

uint32_t TH_version(void) { return TH_VERSION; }

/* ---- instruction sets ---- */

#if defined(__x86_64__)
#include <cpuid.h>

/* The levels of the x86-64 psABI, from level 3 on. __builtin_cpu_supports also asks whether the system saves the wide
   registers; the bits it does not know in every compiler are read from cpuid. */
static int has_x86_64_v3(void) {
    unsigned a, b, c = 0, d, extended = 0;
    __get_cpuid(1, &a, &b, &c, &d);
    __get_cpuid(0x80000001, &a, &b, &extended, &d);
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && c & bit_F16C && c & bit_MOVBE && extended & bit_LZCNT;
}

static int has_x86_64_v4(void) {
    return has_x86_64_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#define TH_CPU_HAS_X86_64_V3 has_x86_64_v3()
#define TH_CPU_HAS_X86_64_V4 has_x86_64_v4()
#endif

static const char *const names[] = {
#define TH_ISA(name, arch, flags, usable) #name,
#include "expr/isa.def"
#undef TH_ISA
};

enum { ISAS = sizeof names / sizeof *names };

static int32_t current = -1; /* atomic; -1: not chosen yet */

static int usable(int32_t index) {
    int32_t row = 0;
#define TH_ISA(name, arch, flags, usable)                                                                              \
    if (row++ == index) return usable;
#include "expr/isa.def"
#undef TH_ISA
    return 0;
}

static int32_t find(const char *name) {
    for (int32_t i = 0; i < ISAS; i++)
        if (strcmp(names[i], name) == 0 && usable(i)) return i;
    return -1;
}

int32_t TH_isa_index(void) {
    int32_t i = __atomic_load_n(&current, __ATOMIC_RELAXED);
    if (__builtin_expect(i >= 0, 1)) return i;
    const char *wanted = getenv("TH_ISA");
    i = wanted ? find(wanted) : -1;
    while (i < 0 || !usable(i)) i++; /* unset or unknown: the fastest */
    int32_t none = -1;
    if (!__atomic_compare_exchange_n(&current, &none, i, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return none;
    return i;
}

int32_t TH_isa_count(void) {
    int32_t n = 0;
    for (int32_t i = 0; i < ISAS; i++) n += usable(i) != 0;
    return n;
}

const char *TH_isa_name(int32_t i) {
    for (int32_t row = 0; i >= 0 && row < ISAS; row++)
        if (usable(row) && i-- == 0) return names[row];
    return NULL;
}

const char *TH_isa(void) { return names[TH_isa_index()]; }

THStatus TH_set_isa(const char *name) {
    if (!name) return TH_raisef(TH_E_ARG, "TH_set_isa: name is NULL");
    int32_t i = find(name);
    if (i < 0)
        return TH_raisef(TH_E_NOTFOUND, "TH_set_isa: got \"%.32s\", want a variant this CPU can run, such as \"%s\"",
                         name, TH_isa_name(0));
    __atomic_store_n(&current, i, __ATOMIC_RELAXED);
    return TH_OK;
}
