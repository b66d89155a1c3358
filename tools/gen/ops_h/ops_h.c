/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes wick/ops.h: for every op that the library in memory offers, an inline C99 function over wick_op_call.
   Usage: ops_h FILE */
#include "wick/abi.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const preamble =
    "/* SPDX-License-Identifier: BSD-3-Clause */\n"
    "/** @file wick/ops.h\n"
    " *  Wick's operators as C functions. Generated from the library's registry; do not edit.\n"
    " *\n"
    " *  Results belong to the caller (wick_release, wick_value_clear). Returns a status; the error waits in the "
    "thread's\n"
    " *  slot. A 0 handle is an absent tensor. Where an argument has a default, a 0 pointer or wick_v_unset() stands "
    "for it.\n"
    " *  int[2] takes a pointer to 2 numbers, int[] a pointer and a count. */\n"
    "#ifndef WICK_OPS_H\n"
    "#define WICK_OPS_H\n\n"
    "#include \"wick/abi.h\"\n\n"
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
    "/* Finds the op once, then calls it. Two threads that find it at once store the same pointer. */\n"
    "static inline int32_t wk_call_(wick_op **cache, const char *name, const wick_value *args, uint32_t nargs, "
    "wick_value *results,\n"
    "                               uint32_t nresults) {\n"
    "    wick_op *op = __atomic_load_n(cache, __ATOMIC_RELAXED);\n"
    "    if (!op) {\n"
    "        int32_t status = wick_op_find(name, &op);\n"
    "        if (status != WICK_OK) return status;\n"
    "        __atomic_store_n(cache, op, __ATOMIC_RELAXED);\n"
    "    }\n"
    "    return wick_op_call(op, args, nargs, 0, 0, results, &nresults, 0);\n"
    "}\n"
    "static inline wick_value wk_object_(uint32_t tag, wick_object *o) { return o ? wick_v_pointer(tag, 0, o) : "
    "wick_v_none(); }\n"
    "static inline wick_value wk_list_(uint32_t tag, uint32_t n, const void *p, uint32_t absent) {\n"
    "    return p ? wick_v_pointer(tag, n, p) : wick_v_tagged(absent, 0, 0);\n"
    "}\n";

typedef struct argument {
    const char *type; /* "int[2]?" */
    char name[64];    /* safe in C and C++ */
    uint32_t flags;
    long length; /* of a list with a fixed length, else 0 */
} argument;

enum { MAX_ARGUMENTS = 32, MAX_RESULTS = 8 };

static void die(const char *what) {
    wick_error *e = wick_error_take();
    fprintf(stderr, "ops_h: %s: %s\n", what, e ? wick_error_message(e) : strerror(errno));
    wick_error_free(e);
    exit(1);
}

static int is_reserved(const char *name) {
    static const char *const words[] = {
        "and",      "asm",     "auto",   "bool",     "break",  "case",     "char",   "class",    "const",
        "continue", "default", "do",     "double",   "else",   "enum",     "extern", "float",    "for",
        "goto",     "if",      "inline", "int",      "long",   "new",      "not",    "or",       "out",
        "return",   "short",   "signed", "sizeof",   "static", "struct",   "switch", "template", "this",
        "typedef",  "union",   "void",   "unsigned", "while",  "volatile", "xor",    "private"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0) return 1;
    return 0;
}

/* Whether a type text begins with this base: "int" for "int[2]?". */
static int has_base(const char *type, const char *base) {
    size_t n = strlen(base);
    return strncmp(type, base, n) == 0 && !isalnum((unsigned char)type[n]);
}

static argument read_argument(const wick_op *op, uint32_t i) {
    argument a;
    const char *name;
    if (wick_op_arg(op, i, &name, &a.type, &a.flags, 0) != WICK_OK) die(wick_op_name(op));
    snprintf(a.name, sizeof a.name, "%s%s", name, is_reserved(name) ? "_" : "");
    const char *bracket = strchr(a.type, '[');
    a.length = bracket ? strtol(bracket + 1, 0, 10) : 0;
    return a;
}

/* The C type of an argument that is passed as one parameter, and the function that makes its value; 0 for wick_value.
 */
static const char *plain_type(const argument *a, const char **maker) {
    static const char *const rows[][3] = {{"int", "int64_t ", "wick_v_int"},
                                          {"float", "double ", "wick_v_float"},
                                          {"bool", "int32_t ", "wick_v_bool"},
                                          {"dtype", "int32_t ", "wick_v_dtype"},
                                          {"device", "uint64_t ", "wick_v_device"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (has_base(a->type, rows[i][0]) && !(a->flags & WICK_ARG_OPTIONAL)) {
            *maker = rows[i][2];
            return rows[i][1];
        }
    return 0;
}

static const char *object_tag(const argument *a) {
    if (has_base(a->type, "Tensor")) return "WICK_TAG_TENSOR";
    if (has_base(a->type, "Module")) return "WICK_TAG_MODULE";
    return has_base(a->type, "Function") ? "WICK_TAG_FUNCTION" : 0;
}

static const char *list_element(const argument *a, const char **tag) {
    int ints = has_base(a->type, "int"), floats = has_base(a->type, "float");
    *tag = ints ? "WICK_TAG_INTS" : floats ? "WICK_TAG_FLOATS" : "WICK_TAG_VALUES";
    return ints ? "int64_t" : floats ? "double" : "wick_value";
}

static void write_parameter(FILE *f, const argument *a) {
    const char *ignored, *plain;
    if (a->flags & WICK_ARG_LIST) {
        fprintf(f, "const %s *%s", list_element(a, &ignored), a->name);
        if (!a->length) fprintf(f, ", uint32_t %s_n", a->name);
    } else if (object_tag(a)) {
        fprintf(f, "wick_object *%s", a->name);
    } else if (has_base(a->type, "str")) {
        fprintf(f, "const char *%s", a->name);
    } else {
        plain = plain_type(a, &ignored);
        fprintf(f, "%s%s", plain ? plain : "wick_value ", a->name);
    }
}

static void write_value(FILE *f, const argument *a) {
    const char *maker, *absent = a->flags & WICK_ARG_DEFAULT ? "WICK_TAG_UNSET" : "WICK_TAG_NONE";
    if (a->flags & WICK_ARG_LIST) {
        list_element(a, &maker);
        fprintf(f, "wk_list_(%s, ", maker);
        if (a->length)
            fprintf(f, "%ld", a->length);
        else
            fprintf(f, "%s_n", a->name);
        fprintf(f, ", %s, %s)", a->name, absent);
    } else if (object_tag(a)) {
        fprintf(f, "wk_object_(%s, %s)", object_tag(a), a->name);
    } else if (has_base(a->type, "str")) {
        fprintf(f, "wk_list_(WICK_TAG_STR, %s ? (uint32_t)strlen(%s) : 0, %s, %s)", a->name, a->name, a->name, absent);
    } else if (plain_type(a, &maker)) {
        fprintf(f, "%s(%s)", maker, a->name);
    } else {
        fprintf(f, "%s", a->name);
    }
}

static void write_comment(FILE *f, const wick_op *op) {
    fprintf(f, "\n/** %s\n *  ", wick_op_schema(op));
    for (const char *p = wick_op_doc(op); *p; p++) {
        fputc(*p, f);
        if (p[0] == '*' && p[1] == '/') fputc(' ', f);
        if (*p == '\n') fputs(" *  ", f);
    }
    fputs(" */\n", f);
}

/* Every result: whether it is a tensor, and its name. */
static void write_results(FILE *f, const int *tensor, uint32_t n, const char *format) {
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, n > 1 ? "out%u" : "out", (unsigned)i);
        if (strcmp(format, "check") == 0)
            fprintf(f, "%s!%s", i ? " || " : "", name);
        else if (strcmp(format, "parameter") == 0)
            fprintf(f, "%s%s%s", i ? ", " : "", tensor[i] ? "wick_object **" : "wick_value *", name);
        else if (tensor[i])
            fprintf(f, "    *%s = results_[%u].tag == WICK_TAG_TENSOR ? results_[%u].u.o : 0;\n", name, (unsigned)i,
                    (unsigned)i);
        else
            fprintf(f, "    *%s = results_[%u];\n", name, (unsigned)i);
    }
}

static void write_body(FILE *f, const wick_op *op, const char *name, const argument *args, uint32_t n,
                       const int *tensor, uint32_t nresults) {
    fprintf(f, "    static wick_op *op_ = 0;\n");
    if (nresults) {
        fprintf(f, "    if (");
        write_results(f, tensor, nresults, "check");
        fprintf(f, ") return wick_error_raise(WICK_E_ARG, 0, \"%s: out is NULL\");\n", name);
        fprintf(f, "    wick_value results_[%u];\n", (unsigned)nresults);
    }
    for (uint32_t i = 0; i < n; i++) {
        fprintf(f, i ? ", " : "    wick_value args_[] = {");
        write_value(f, &args[i]);
    }
    if (n) fprintf(f, "};\n");
    fprintf(f, "    int32_t status_ = wk_call_(&op_, \"%s\", %s, %u, %s, %u);\n", wick_op_name(op), n ? "args_" : "0",
            (unsigned)n, nresults ? "results_" : "0", (unsigned)nresults);
    if (nresults) fprintf(f, "    if (status_ != WICK_OK) return status_;\n");
    write_results(f, tensor, nresults, "assign");
    fprintf(f, "    return status_;\n}\n");
}

static void write_op(FILE *f, const wick_op *op) {
    uint32_t n = wick_op_arg_count(op), nresults = wick_op_result_count(op);
    argument args[MAX_ARGUMENTS];
    int tensor[MAX_RESULTS];
    char name[128] = "wk_";
    size_t at = 3;
    if (n > MAX_ARGUMENTS || nresults > MAX_RESULTS) die(wick_op_name(op));
    for (const char *p = wick_op_name(op); *p && at < sizeof name - 1; p += *p == ':' ? 2 : 1)
        name[at++] = isalnum((unsigned char)*p) ? *p : '_';
    name[at] = 0;
    for (uint32_t i = 0; i < n; i++) args[i] = read_argument(op, i);
    for (uint32_t i = 0; i < nresults; i++) {
        const char *type;
        if (wick_op_result(op, i, &type) != WICK_OK) die(wick_op_name(op));
        tensor[i] = has_base(type, "Tensor") && !strchr(type, '[');
    }
    write_comment(f, op);
    fprintf(f, "static inline int32_t %s(", name);
    for (uint32_t i = 0; i < n; i++) {
        if (i) fprintf(f, ", ");
        write_parameter(f, &args[i]);
    }
    if (!n && !nresults) fprintf(f, "void");
    if (n && nresults) fprintf(f, ", ");
    write_results(f, tensor, nresults, "parameter");
    fprintf(f, ") {\n");
    write_body(f, op, name, args, n, tensor, nresults);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: ops_h FILE\n");
        return 2;
    }
    uint32_t n = wick_op_count();
    if (n == 0) die("the registry is empty");
    FILE *f = fopen(argv[1], "w");
    if (!f) die(argv[1]);
    fputs(preamble, f);
    for (uint32_t i = 0; i < n; i++) write_op(f, wick_op_at(i));
    fputs("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n", f);
    if (fclose(f) != 0) die(argv[1]);
    return 0;
}
