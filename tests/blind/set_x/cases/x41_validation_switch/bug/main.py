import torch
from torch import nn

from learner import EarlyStopping, Learner


def split(n, size=16):
    out = []
    for _ in range(n):
        x = torch.randn(size, 3)
        out.append((x, x.prod(dim=1, keepdim=True)))
    return out


def main(epochs=4):
    learner = Learner(nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1)))
    stopper = EarlyStopping()
    train, valid = split(4), split(2)
    for epoch in range(epochs):
        learner.train_epoch(train)
        score = learner.validate(valid)
        if stopper.update(score, learner.model):
            break
    learner.model.load_state_dict(stopper.state)


if __name__ == "__main__":
    main()
