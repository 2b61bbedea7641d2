import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from metrics import Calibration


def fit_temperature(logits, labels, iters=10):
    log_t = torch.zeros(1, device=logits.device, requires_grad=True)
    opt = torch.optim.LBFGS([log_t], lr=0.1, max_iter=iters)

    def closure():
        opt.zero_grad()
        loss = nn.functional.cross_entropy(logits / log_t.exp(), labels)
        loss.backward()
        return loss

    opt.step(closure)
    return log_t.detach().exp()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 4)).to(device).eval()
    loader = DataLoader(TensorDataset(torch.randn(60, 5), torch.randint(0, 4, (60,))), batch_size=20)
    meter, logits, labels = Calibration(), [], []
    with torch.no_grad():
        for x, y in loader:
            y = y.to(device)
            out = net(x.to(device))
            meter.update(out.softmax(1), y)
            logits.append(out)
            labels.append(y)
    t = fit_temperature(torch.cat(logits), torch.cat(labels))
    print(f"ece {meter.ece():.3f} temperature {t.item():.3f}")


if __name__ == "__main__":
    main()
