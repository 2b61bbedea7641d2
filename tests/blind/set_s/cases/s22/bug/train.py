import copy

import torch
import torch.nn.functional as F

from model import MoE


class EarlyStopping:
    def __init__(self, patience=3):
        self.patience, self.bad_epochs = patience, 0
        self.best_loss, self.best_model = float("inf"), None

    def update(self, loss, model):
        if loss < self.best_loss:
            self.best_loss, self.bad_epochs = loss, 0
            self.best_model = copy.deepcopy(model)
        else:
            self.bad_epochs += 1
        return self.bad_epochs >= self.patience


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MoE().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.randn(64, 8, device=device)
    y = (x[:, 0] > x[:, 1]).long()
    stopper = EarlyStopping()
    for epoch in range(6):
        loss = F.cross_entropy(model(x), y) + 0.01 * model.route.balance()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if stopper.update(loss.item(), model):
            break
    print("best", stopper.best_loss)


if __name__ == "__main__":
    main()
