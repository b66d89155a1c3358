// SPDX-License-Identifier: BSD-3-Clause
// Training that is interrupted and goes on from a checkpoint as if nothing had happened, bit for bit.
//
//     resume [FOLDER]
//
// A network with dropout is trained for STEPS steps in one go. Then another one is trained half the way, saved to
// FOLDER/resume.safetensors (in the middle of an epoch), and thrown away; a third takes over from the file. Ends with
// status 0 if the first and the third have the same parameters to the last bit.
#include "wick/data.hpp"
#include "wick/io.hpp"
#include "wick/nn.hpp"
#include "wick/ops.hpp"
#include "wick/optim.hpp"
#include <cstdio>

using namespace wick;

namespace {

constexpr int64_t STEPS = 100, HALF = 37; // of 16 batches an epoch

// Points inside and outside a circle.
data::DatasetRef make_points() {
    Tensor x = rand({250, 2}) * 2 - 1;
    Tensor inside = (square(x).sum({1}) < 0.6).to(kINT64);
    return std::make_shared<data::TensorDataset>(std::vector{x, inside});
}

/// Everything that training changes. The process-wide generator, which dropout draws from, belongs to it.
struct Training {
    nn::Sequential net{nn::Linear(2, 32), nn::ReLU(), nn::Dropout(0.2), nn::Linear(32, 2)};
    optim::Adam adam{net.parameters(), {.lr = 0.01, .weight_decay = 1e-4, .amsgrad = true}};
    data::DataLoader loader;
    int64_t step = 0;

    explicit Training(data::DatasetRef points)
        : loader(std::move(points), {.batch_size = 16, .shuffle = true, .workers = 1}) {}

    void run(int64_t until) {
        while (step < until)
            for (const data::Example &batch : loader) {
                adam.zero_grad();
                cross_entropy(net(batch[0]), batch[1]).backward();
                adam.step();
                if (++step == until) break;
            }
    }

    void save(const std::string &path) const {
        NamedTensors all{{"step", full({}, step)}, {"generator", get_rng_state()}};
        for (auto &[name, state] : {std::pair("net", net.state_dict()), std::pair("adam", adam.state_dict()),
                                    std::pair("loader", loader.state_dict())})
            for (auto &entry : io::prefixed(name, state)) all.push_back(entry);
        io::save_safetensors(path, all);
    }

    void load(const std::string &path) {
        io::Checkpoint file = io::load_safetensors(path);
        net.load_state_dict(file.part("net"));
        adam.load_state_dict(file.part("adam"));
        loader.load_state_dict(file.part("loader"));
        step = file.at("step").item<int64_t>();
        set_rng_state(file.at("generator"));
    }
};

bool equal(const NamedTensors &a, const NamedTensors &b) {
    bool same = a.size() == b.size();
    for (size_t i = 0; same && i < a.size(); i++)
        same = a[i].first == b[i].first && all(a[i].second == b[i].second).item<bool>();
    return same;
}

int run(const std::string &path) {
    manual_seed(1);
    data::DatasetRef points = make_points();

    manual_seed(2);
    Training whole(points);
    whole.run(STEPS);

    manual_seed(2);
    {
        Training interrupted(points);
        interrupted.run(HALF);
        interrupted.save(path);
        interrupted.run(HALF + 5); // lost
    }
    manual_seed(3);
    Training resumed(points);
    resumed.load(path);
    resumed.run(STEPS);

    bool same = equal(whole.net.state_dict(), resumed.net.state_dict()) &&
                equal(whole.adam.state_dict(), resumed.adam.state_dict());
    std::printf("%s after %lld steps, %lld of them resumed\n", same ? "the same bits" : "DIFFERENT",
                static_cast<long long>(STEPS), static_cast<long long>(STEPS - HALF));
    return same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return run((argc > 1 ? std::string(argv[1]) : std::string(".")) + "/resume.safetensors");
    } catch (const std::exception &e) {
        std::fprintf(stderr, "resume: %s\n", e.what());
        return 2;
    }
}
