import torch
import torch.nn as nn
import torch.nn.functional as F

from ops import batch_vector, segment_mean, segment_softmax


class AttentionReadout(nn.Module):
    def __init__(self, d, classes):
        super().__init__()
        self.score = nn.Linear(d, 1)
        self.value = nn.Linear(d, d)
        self.fc = nn.Linear(2 * d, classes)

    def forward(self, x, index, n):
        a = segment_softmax(self.score(x).squeeze(1), index, n)
        att = x.new_zeros(n, x.size(1)).index_add(0, index, a.unsqueeze(1) * self.value(x))
        return self.fc(torch.cat([att, segment_mean(x, index, n)], 1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = AttentionReadout(8, 2).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(4):
        sizes = torch.randint(1, 6, (10,)).tolist()
        x = torch.randn(sum(sizes), 8, device=device)
        index = batch_vector(sizes, device)
        y = torch.tensor([s % 2 for s in sizes], device=device)
        loss = F.cross_entropy(model(x, index, len(sizes)), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
