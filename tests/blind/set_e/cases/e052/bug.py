import copy

import torch
from torch import nn


class Fed:
    """Federated averaging over a list of clients' data."""

    def __init__(self, local_epochs=1, lr=0.1):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.server = nn.Linear(3, 1).to(self.device)
        self.local_epochs, self.lr = local_epochs, lr

    def local(self, data):
        model = copy.deepcopy(self.server)
        optimizer = torch.optim.SGD(model.parameters(), lr=self.lr)
        model.train()
        for _ in range(self.local_epochs):
            for x, y in data:
                x, y = x.to(self.device), y.to(self.device)
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
        return {k: v.detach() for k, v in model.state_dict().items()}

    def round(self, clients):
        states = [self.local(data) for data in clients]
        average = {k: torch.stack([s[k] for s in states]).mean(0) for k in states[0]}
        self.server.load_state_dict(average)
