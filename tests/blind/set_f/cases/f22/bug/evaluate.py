import torch
from torch import nn

from scores import MeanAP


def to_np(t):
    return t.detach().numpy()


class MultiLabel(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.bn = nn.BatchNorm1d(d)
        self.fc = nn.Linear(d, k)

    def forward(self, x):
        return self.fc(self.bn(x))


class Evaluator:
    def __init__(self, model, device=None):
        self.device = device or torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)

    def __call__(self, batches):
        self.model.eval()
        ap = MeanAP()
        with torch.no_grad():
            for x, y in batches:
                x, y = x.to(self.device), y.to(self.device)
                probs = torch.sigmoid(self.model(x))
                ap.add(to_np(y), to_np(probs))
        return ap.compute()


if __name__ == "__main__":
    data = [(torch.randn(6, 5), torch.randint(0, 2, (6, 3))) for _ in range(3)]
    for name, value in Evaluator(MultiLabel(5, 3))(data).items():
        print(name, round(value, 3))
