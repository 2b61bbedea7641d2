import torch


class BaseFitter:
    def __init__(self, net, device):
        self.net, self.device = net.to(device), device
        self.opt = torch.optim.AdamW(net.parameters(), lr=1e-3)

    def loss(self, batch):
        raise NotImplementedError

    def fit(self, train, val, epochs):
        for epoch in range(epochs):
            self.net.train()
            for batch in train:
                self.opt.zero_grad()
                self.loss(batch).backward()
                self.opt.step()
            print(epoch, self.validate(val))

    def validate(self, val):
        self.net.eval()
        total, n = 0.0, 0
        for batch in val:
            total += self.loss(batch).item() * len(batch[0])
            n += len(batch[0])
        return total / n
