import torch
import torch.nn as nn


class SoftTree(nn.Module):
    """Oblivious soft decision tree ensemble."""

    def __init__(self, features, trees=4, depth=3, classes=3):
        super().__init__()
        self.depth = depth
        self.select = nn.Parameter(torch.randn(trees, depth, features) * 0.1)
        self.thresh = nn.Parameter(torch.zeros(trees, depth))
        self.leaves = nn.Parameter(torch.randn(trees, 2 ** depth, classes) * 0.1)
        bits = torch.arange(2 ** depth)[:, None] >> torch.arange(depth)[None] & 1
        self.register_buffer("bits", bits.float(), persistent=False)

    def forward(self, x):
        value = torch.einsum("bf,tdf->btd", x, self.select.softmax(-1)) - self.thresh
        right = value.sigmoid().unsqueeze(2)
        route = (right * self.bits + (1 - right) * (1 - self.bits)).prod(-1)
        return torch.einsum("btl,tlc->bc", route, self.leaves) / len(self.leaves)


class FeatureStore:
    """Keeps the table on the host; batches travel on demand."""

    def __init__(self, x, y, device):
        self.x, self.y, self.device = x, y, device
        self.temperature = torch.tensor(0.5)
        self.staging = torch.empty(16, x.size(1), device=device)

    def batches(self, size=16):
        for idx in torch.randperm(len(self.x)).split(size):
            if len(idx) == len(self.staging):
                self.staging.copy_(self.x[idx])
                x = self.staging.clone()
            else:
                x = self.x[idx].to(self.device)
            yield x / self.temperature, self.y[idx].to(self.device)

    def subset(self, tensor, wanted):
        rows = (self.y == wanted).nonzero().squeeze(1)
        return tensor[rows]


def main(epochs=2):
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    store = FeatureStore(torch.randn(56, 7), torch.randint(0, 3, (56,)), device)
    net = SoftTree(7).to(device)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-2)
    for epoch in range(epochs):
        worst = torch.tensor(0.0, device=device)
        for x, y in store.batches():
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            worst = torch.maximum(worst, loss.detach())
        print(epoch, worst.item())
    with torch.no_grad():
        logits = net(store.x.to(device))
    for c in range(3):
        print(c, store.subset(logits, c).mean(0).tolist())


if __name__ == "__main__":
    main()
