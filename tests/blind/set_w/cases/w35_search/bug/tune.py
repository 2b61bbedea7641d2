import torch
from space import draw, make_rng
from trial import Trial


def search(n, x, y, device):
    rng, results = make_rng(), []
    for i in range(n):
        cfg = draw(rng)
        trial = Trial(cfg, x.size(1), device)
        results.append((trial.run(x, y), i, cfg))
    return max(results)


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(64, 6)
    print(search(3, x, (x[:, 0] > 0).long(), dev))
