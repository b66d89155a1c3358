/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains the network of README.md on handwritten digits in strict C99, through wick/abi.h alone.

       digits_c DATA                       trains, then prints the accuracy on held-out images
       digits_c --eval CHECKPOINT DATA     prints that of a checkpoint, such as the C++ program digits writes

   DATA is digits.csv.gz or a directory with MNIST's four IDX files. Ends with status 1 after an error.

   Everything is called by name: op("add", ...), method(net, "forward", ...). Results are owned by a pool and dropped in
   one go. After a failure every call does nothing, so that only the ends of main's paths look at `failed`. */
#include <stdio.h>
#include <string.h>
#include <wick/abi.h>

/* ---- calls ---- */

#define ARGS(...) (const wick_value[]){__VA_ARGS__}, sizeof((const wick_value[]){__VA_ARGS__}) / sizeof(wick_value)
#define NO_ARGS 0, 0
#define INT(i) wick_v_int(i)
#define DEFAULT wick_v_unset()

enum { MOST_RESULTS = 4, POOL = 256 };
static wick_value pool[POOL];
static uint32_t held;
static int failed;

/* 1 for success. Says what went wrong, the first time. */
static int ok(int32_t status) {
    if (status == WICK_OK) return 1;
    wick_error *e = wick_error_take();
    if (!failed) fprintf(stderr, "digits_c: %s: %s\n", wick_error_kind(e), wick_error_message(e));
    wick_error_free(e);
    failed = 1;
    return 0;
}

static wick_value keep(wick_value v) {
    if (held < POOL) return pool[held++] = v;
    wick_value_clear(&v);
    ok(wick_error_raise(WICK_E_INTERNAL, 0, "the pool is full"));
    return v;
}

/* Drops what was kept since `held` was `mark`. */
static void drop(uint32_t mark) {
    while (held > mark) wick_value_clear(&pool[--held]);
}

/* An op's results; the first is returned too. */
static wick_value op_results(const char *name, wick_value *results, const wick_value *args, uint32_t nargs) {
    wick_op *found;
    uint32_t n = MOST_RESULTS;
    results[0] = wick_v_none();
    if (failed || !ok(wick_op_find(name, &found))) return results[0];
    if (ok(wick_op_call(found, args, nargs, 0, 0, results, &n, 0)))
        for (uint32_t i = 0; i < n; i++) results[i] = keep(results[i]);
    return results[0];
}

static wick_value op(const char *name, const wick_value *args, uint32_t nargs) {
    wick_value results[MOST_RESULTS];
    return op_results(name, results, args, nargs);
}

/* A method's first result, or none. */
static wick_value method(wick_value self, const char *name, const wick_value *args, uint32_t nargs) {
    wick_value results[MOST_RESULTS] = {wick_v_none()};
    uint32_t n = MOST_RESULTS;
    if (failed || !ok(wick_object_call(self.u.o, name, args, nargs, 0, 0, results, &n, 0))) return wick_v_none();
    for (uint32_t i = 0; i < n; i++) results[i] = keep(results[i]);
    return n ? results[0] : wick_v_none();
}

static wick_value make(const char *family, const char *name, const wick_value *args, uint32_t nargs) {
    wick_class *found;
    wick_object *o = 0;
    if (failed || !ok(wick_class_find(family, name, &found)) || !ok(wick_class_new(found, args, nargs, 0, 0, &o, 0)))
        return wick_v_none();
    return keep(wick_v_object(o));
}

static int64_t size(wick_value tensor, uint32_t dim) {
    int64_t sizes[8] = {0};
    if (!failed) ok(wick_tensor_sizes(tensor.u.o, 8, sizes, 0));
    return sizes[dim];
}

static double number(wick_value tensor) {
    wick_value v = wick_v_none();
    if (failed || !ok(wick_tensor_item(tensor.u.o, &v))) return 0;
    return v.tag == WICK_TAG_FLOAT ? v.u.f : (double)v.u.i;
}

/* ---- data ---- */

typedef struct set {
    wick_value images, labels;
} set;

typedef struct task {
    set train, test;
    int64_t side;
    double white; /* the largest pixel value */
    int64_t batch, epochs;
} task;

static set rows_of(set all, wick_value rows) {
    set s = {op("index_select", ARGS(all.images, INT(0), rows)), op("index_select", ARGS(all.labels, INT(0), rows))};
    return s;
}

/* Lines of 64 pixels and a label; a random fifth is held out, the same in every program. */
static task read_digits(const char *path) {
    const int64_t sizes[] = {-1, 1, 8, 8};
    wick_value lines = op("io::read_csv", ARGS(wick_v_str(path)));
    wick_value pixels = op("narrow", ARGS(lines, INT(1), INT(0), INT(64)));
    wick_value images = op("reshape", ARGS(pixels, wick_v_ints(sizes, 4)));
    wick_value labels = op("to", ARGS(op("select", ARGS(lines, INT(1), INT(64))), wick_v_dtype(WICK_INT64)));
    set all = {images, labels};
    int64_t n = size(lines, 0);
    op("manual_seed", ARGS(INT(0)));
    wick_value order = op("randperm", ARGS(INT(n)));
    task t = {{images, labels}, {images, labels}, 8, 16, 32, 30};
    t.test = rows_of(all, op("narrow", ARGS(order, INT(0), INT(0), INT(n / 5))));
    t.train = rows_of(all, op("narrow", ARGS(order, INT(0), INT(n / 5), INT(n - n / 5))));
    return t;
}

static wick_value read_idx(const char *folder, const char *file) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.gz", folder, file);
    return op("io::read_idx", ARGS(wick_v_str(path)));
}

static task read_mnist(const char *folder) {
    const char *const files[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
                                 "t10k-labels-idx1-ubyte"};
    wick_value tensors[4];
    for (int i = 0; i < 4; i++)
        tensors[i] = i % 2 ? op("to", ARGS(read_idx(folder, files[i]), wick_v_dtype(WICK_INT64)))
                           : op("unsqueeze", ARGS(read_idx(folder, files[i]), INT(1)));
    task t = {{tensors[0], tensors[1]}, {tensors[2], tensors[3]}, 28, 255, 64, 3};
    return t;
}

static task read_task(const char *path) { return strstr(path, ".csv") ? read_digits(path) : read_mnist(path); }

/* Rows [at, at + n) of a set as the network wants them: pixels between 0 and 1. */
static set batch_of(const task *t, set s, int64_t at, int64_t n) {
    wick_value images =
        op("to", ARGS(op("narrow", ARGS(s.images, INT(0), INT(at), INT(n))), wick_v_dtype(WICK_FLOAT32)));
    set batch = {op("div", ARGS(images, wick_v_float(t->white))),
                 op("narrow", ARGS(s.labels, INT(0), INT(at), INT(n)))};
    return batch;
}

/* ---- the network ---- */

static void add_block(wick_value net, int64_t in, int64_t out) {
    method(net, "append", ARGS(make("nn", "Conv2d", ARGS(INT(in), INT(out), INT(3), DEFAULT, INT(1)))));
    method(net, "append", ARGS(make("nn", "BatchNorm2d", ARGS(INT(out)))));
    method(net, "append", ARGS(make("nn", "ReLU", NO_ARGS)));
}

static wick_value make_net(int64_t side) {
    wick_value net = make("nn", "Sequential", NO_ARGS);
    add_block(net, 1, 16);
    add_block(net, 16, 32);
    method(net, "append", ARGS(make("nn", "MaxPool2d", ARGS(INT(2)))));
    method(net, "append", ARGS(make("nn", "Dropout", ARGS(wick_v_float(0.25)))));
    method(net, "append", ARGS(make("nn", "Flatten", NO_ARGS)));
    method(net, "append", ARGS(make("nn", "Linear", ARGS(INT(8 * side * side), INT(64)))));
    method(net, "append", ARGS(make("nn", "ReLU", NO_ARGS)));
    method(net, "append", ARGS(make("nn", "Linear", ARGS(INT(64), INT(10)))));
    return net;
}

static void load(wick_value net, const char *path) {
    wick_value names_and_tensors[MOST_RESULTS];
    op_results("io::load_safetensors", names_and_tensors, ARGS(wick_v_str(path)));
    method(net, "load_state_dict", names_and_tensors, 2);
}

static double accuracy(const task *t, wick_value net) {
    const int64_t n = size(t->test.images, 0), batch = 250;
    double right = 0;
    int32_t recording = wick_set_grad_mode(0);
    method(net, "eval", NO_ARGS);
    for (int64_t at = 0; at < n && !failed; at += batch) {
        uint32_t mark = held;
        set b = batch_of(t, t->test, at, n - at < batch ? n - at : batch);
        wick_value guess = op("argmax", ARGS(method(net, "forward", ARGS(b.images)), INT(1)));
        right += number(op("sum", ARGS(op("eq", ARGS(guess, b.labels)))));
        drop(mark);
    }
    method(net, "train", NO_ARGS);
    wick_set_grad_mode(recording);
    return n ? right / (double)n : 0;
}

/* ---- training ---- */

/* Moves images by up to a pixel along both axes: a window of their zero-padded copies. */
static wick_value jitter(wick_value images, int64_t side) {
    const int64_t n = size(images, 0), padded[] = {n, 1, side + 2, side + 2};
    wick_value canvas = op("zeros", ARGS(wick_v_ints(padded, 4)));
    wick_value middle =
        op("narrow", ARGS(op("narrow", ARGS(canvas, INT(2), INT(1), INT(side))), INT(3), INT(1), INT(side)));
    op("copy_", ARGS(middle, images));
    for (int64_t dim = 2; dim <= 3; dim++) {
        int64_t start = (int64_t)number(op("randint", ARGS(INT(0), INT(3), wick_v_ints(0, 0))));
        canvas = op("narrow", ARGS(canvas, INT(dim), INT(start), INT(side)));
    }
    return canvas;
}

static double step(const task *t, wick_value net, wick_value adam, set batch) {
    wick_value scores = method(net, "forward", ARGS(jitter(batch.images, t->side)));
    wick_value loss = op("cross_entropy", ARGS(scores, batch.labels));
    method(adam, "zero_grad", NO_ARGS);
    if (!failed) ok(wick_backward(&loss.u.o, 0, 1, 0, 0));
    method(adam, "step", NO_ARGS);
    return number(loss);
}

/* Up over the first fifth of the way (0 to 1), then down. */
static double learning_rate(double way) { return 3e-3 * (way < 0.2 ? way / 0.2 : (1 - way) / 0.8); }

static void train(const task *t, wick_value net) {
    const int64_t n = size(t->train.images, 0), steps = n / t->batch;
    wick_value adam = make("optim", "Adam", ARGS(method(net, "parameters", NO_ARGS)));
    for (int64_t epoch = 0; epoch < t->epochs && !failed; epoch++) {
        uint32_t epoch_mark = held;
        double loss = 0;
        set shuffled = rows_of(t->train, op("randperm", ARGS(INT(n))));
        for (int64_t i = 0; i < steps && !failed; i++) {
            uint32_t mark = held;
            double way = (double)(epoch * steps + i) / (double)(t->epochs * steps);
            method(adam, "set", ARGS(wick_v_str("lr"), wick_v_float(learning_rate(way))));
            loss += step(t, net, adam, batch_of(t, shuffled, i * t->batch, t->batch));
            drop(mark);
        }
        drop(epoch_mark);
        if (!failed) printf("epoch %2d/%d   loss %.4f\n", (int)epoch + 1, (int)t->epochs, loss / (double)steps);
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    int evaluate = argc == 4 && strcmp(argv[1], "--eval") == 0;
    if (!evaluate && argc != 2) {
        fprintf(stderr, "usage: digits_c DATA\n       digits_c --eval CHECKPOINT DATA\n");
        return 2;
    }
    task t = read_task(argv[argc - 1]);
    op("manual_seed", ARGS(INT(1)));
    wick_value net = make_net(t.side);
    if (evaluate)
        load(net, argv[2]);
    else
        train(&t, net);
    double right = accuracy(&t, net);
    if (!failed) printf("accuracy %.2f %% of %d held-out images\n", 100 * right, (int)size(t.test.images, 0));
    drop(0);
    return failed;
}
