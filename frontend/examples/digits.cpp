// SPDX-License-Identifier: BSD-3-Clause
// Trains a small convolutional network on handwritten digits. README.md beside this file describes the network and the
// training.
//
//     digits DATA [OUT [SEED]]
//
// DATA is digits.csv.gz or a directory with MNIST's four IDX files. Into the directory OUT (made if need be) go
// digits.safetensors, the trained network, and loss.csv, its loss. Ends with status 1 if the accuracy on held-out
// images is below what README.md promises.
#include "progress.hpp"
#include "wick/autograd.hpp"
#include "wick/data.hpp"
#include "wick/io.hpp"
#include "wick/nn.hpp"
#include "wick/ops.hpp"
#include "wick/optim.hpp"
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numbers>
#include <random>

using namespace wick;
namespace fs = std::filesystem;

namespace {

struct Task {
    std::string name;
    data::DatasetRef train, held_out; // {image [1, side, side], label}
    int64_t side;
    double white; // the largest pixel value
    int64_t batch_size, epochs;
    double promised; // accuracy
};

Task digits_task(const std::string &path) {
    Tensor rows = data::read_csv(path).values;
    if (rows.size(1) != 65) throw Error(TH_E_IO, path + ": got " + std::to_string(rows.size(1)) + " columns, want 65");
    Tensor images = rows.narrow(1, 0, 64).to(kFLOAT32).view({-1, 1, 8, 8});
    Tensor labels = rows.select(1, 64).to(kINT64);
    auto all = std::make_shared<data::TensorDataset>(std::vector{images, labels});
    auto parts = data::random_split(all, {all->size() / 5, all->size() - all->size() / 5}, 0);
    return {"digits", parts[1], parts[0], 8, 16, 32, 30, 0.98};
}

Tensor read_mnist(const fs::path &folder, const std::string &stem) {
    for (const char *ending : {".gz", ""})
        if (fs::path path = folder / (stem + ending); fs::exists(path)) return data::read_idx(path.string());
    throw Error(TH_E_NOTFOUND, (folder / stem).string() + ": got neither this nor .gz, want MNIST's files");
}

Task mnist_task(const fs::path &folder) {
    auto set = [&](const std::string &stem) {
        Tensor images = read_mnist(folder, stem + "-images-idx3-ubyte").view({-1, 1, 28, 28});
        Tensor labels = read_mnist(folder, stem + "-labels-idx1-ubyte").to(kINT64);
        return std::make_shared<data::TensorDataset>(std::vector{images, labels});
    };
    return {"mnist", set("train"), set("t10k"), 28, 255, 64, 3, 0.99};
}

nn::Sequential make_net(int64_t side) {
    return nn::Sequential(nn::Conv2d({.in_channels = 1, .out_channels = 16, .kernel_size = 3, .padding = 1}),
                          nn::BatchNorm2d({.num_features = 16}), nn::ReLU(),
                          nn::Conv2d({.in_channels = 16, .out_channels = 32, .kernel_size = 3, .padding = 1}),
                          nn::BatchNorm2d({.num_features = 32}), nn::ReLU(), nn::MaxPool2d({.kernel_size = 2}),
                          nn::Dropout({.p = 0.25}), nn::Flatten(),
                          nn::Linear({.in_features = 8 * side * side, .out_features = 64}), nn::ReLU(),
                          nn::Linear({.in_features = 64, .out_features = 10}));
}

// Up over the first fifth of the way (0 to 1), then down along a half cosine.
double learning_rate(double way) {
    constexpr double PEAK = 3e-3, WARM = 0.2;
    return PEAK * (way < WARM ? way / WARM : (1 + std::cos(std::numbers::pi * (way - WARM) / (1 - WARM))) / 2);
}

// Moves images down by dy and right by dx.
Tensor shifted(const Tensor &images, int64_t dy, int64_t dx) {
    auto window = [](const Tensor &t, int64_t y, int64_t x) {
        int64_t h = t.size(2) - std::abs(y), w = t.size(3) - std::abs(x);
        return t.narrow(2, std::max<int64_t>(y, 0), h).narrow(3, std::max<int64_t>(x, 0), w);
    };
    Tensor out = zeros_like(images);
    window(out, dy, dx).copy_(window(images, -dy, -dx));
    return out;
}

int64_t count_right(const Tensor &scores, const Tensor &labels) {
    return (argmax(scores, 1) == labels).sum().item<int64_t>();
}

double evaluate(nn::Module &net, const Task &task) {
    NoGrad guard;
    net.eval();
    int64_t right = 0;
    for (const data::Example &batch : data::DataLoader(task.held_out, {.batch_size = 250}))
        right += count_right(net(batch[0].to(kFLOAT32) / task.white), batch[1]);
    net.train();
    return static_cast<double>(right) / static_cast<double>(task.held_out->size());
}

class Trainer {
  public:
    Trainer(const Task &task, nn::Module &net, const fs::path &out, uint64_t seed)
        : task_(task), net_(net), adam_(net.parameters()),
          loader_(task.train,
                  {.batch_size = task.batch_size, .shuffle = true, .seed = seed, .drop_last = true, .workers = 1}),
          random_(static_cast<uint32_t>(seed)), steps_(task.epochs * loader_.size()), log_(out / "loss.csv"),
          progress_(static_cast<unsigned long>(steps_)) {
        log_ << "step,epoch,loss\n";
    }

    double run() {
        double accuracy = 0;
        for (int64_t epoch = 1; epoch <= task_.epochs; epoch++) {
            sum_ = {};
            start_ = std::chrono::steady_clock::now();
            for (const data::Example &batch : loader_) {
                step(batch);
                log_ << step_ << ',' << epoch << ',' << last_loss_ << '\n';
                progress_.step(line(epoch));
            }
            std::string trained = line(epoch);
            accuracy = evaluate(net_, task_);
            char text[64];
            std::snprintf(text, sizeof text, "   held out %.2f %%", 100 * accuracy);
            progress_.epoch(trained + text);
        }
        if (!log_.flush()) throw Error(TH_E_IO, "loss.csv: cannot write");
        return accuracy;
    }

  private:
    void step(const data::Example &batch) {
        adam_.set_lr(learning_rate(static_cast<double>(step_++) / static_cast<double>(steps_)));
        auto pixels = [&] { return static_cast<int64_t>(random_() % 3) - 1; };
        int64_t dy = pixels(), dx = pixels();
        Tensor scores = net_(shifted(batch[0].to(kFLOAT32) / task_.white, dy, dx));
        Tensor loss = cross_entropy(scores, batch[1]);
        adam_.zero_grad();
        loss.backward();
        adam_.step();
        last_loss_ = loss.item<double>();
        sum_.loss += last_loss_;
        sum_.right += count_right(scores.detach(), batch[1]);
        sum_.batches++;
    }

    std::string line(int64_t epoch) const {
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
        double n = static_cast<double>(sum_.batches), samples = n * static_cast<double>(task_.batch_size);
        char text[160];
        std::snprintf(text, sizeof text, "epoch %2d/%d   loss %.4f   accuracy %6.2f %%   %6.0f samples/s",
                      static_cast<int>(epoch), static_cast<int>(task_.epochs), sum_.loss / n,
                      100 * static_cast<double>(sum_.right) / samples, samples / seconds.count());
        return text;
    }

    const Task &task_;
    nn::Module &net_;
    optim::Adam adam_;
    data::DataLoader loader_;
    std::minstd_rand random_;
    const int64_t steps_;
    int64_t step_ = 0;
    double last_loss_ = 0;
    struct {
        double loss = 0;
        int64_t right = 0, batches = 0;
    } sum_; // of the epoch so far
    std::chrono::steady_clock::time_point start_;
    std::ofstream log_;
    Progress progress_;
};

int run(const std::string &data, const fs::path &out, uint64_t seed) {
    Task task = fs::is_directory(data) ? mnist_task(data) : digits_task(data);
    fs::create_directories(out);
    manual_seed(seed);
    nn::Sequential net = make_net(task.side);
    std::cout << task.name << ": " << task.train->size() << " images to train on, " << task.held_out->size()
              << " held out; " << TH_num_threads() << " threads\n";
    auto start = std::chrono::steady_clock::now();
    double accuracy = Trainer(task, net, out, seed).run();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

    fs::path checkpoint = out / "digits.safetensors";
    io::save_safetensors(checkpoint.string(), net.state_dict(),
                         {{"model", "digits-cnn"},
                          {"architecture", net.to_string()},
                          {"image_size", std::to_string(task.side)},
                          {"data", task.name},
                          {"epochs", std::to_string(task.epochs)},
                          {"seed", std::to_string(seed)},
                          {"accuracy", std::to_string(accuracy)}});
    std::printf("test accuracy %.2f %% after %.1f s of training; checkpoint: %s\n", 100 * accuracy, seconds.count(),
                checkpoint.c_str());
    if (accuracy >= task.promised) return 0;
    std::fprintf(stderr, "digits: got an accuracy of %.2f %%, want at least %.0f %%\n", 100 * accuracy,
                 100 * task.promised);
    return 1;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2 || argc > 4) {
        std::fprintf(stderr, "usage: %s DATA [OUT [SEED]]\n", argv[0]);
        return 2;
    }
    try {
        return run(argv[1], argc > 2 ? argv[2] : "out", argc > 3 ? std::stoull(argv[3]) : 1);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "digits: %s\n", e.what());
        return 2;
    }
}
