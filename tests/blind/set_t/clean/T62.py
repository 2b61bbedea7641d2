import torch
import torch.nn as nn
import torch.nn.functional as F


class DropoutRegressor(nn.Module):
    def __init__(self, feats=3):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(feats, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(32, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2),
        )
        self.mean = nn.Linear(32, 1)
        self.log_var = nn.Linear(32, 1)

    def forward(self, x):
        h = self.net(x)
        return self.mean(h), self.log_var(h)


def sampling_mode(model):
    """Batch norm frozen, dropout active."""
    model.eval()
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()
    return model


@torch.no_grad()
def predict(model, x, passes=20):
    sampling_mode(model)
    device = next(model.parameters()).device
    x = x.to(device)
    means, variances = zip(*((m, v.exp()) for m, v in (model(x) for _ in range(passes))))
    means, variances = torch.stack(means), torch.stack(variances)
    epistemic = means.var(0)
    aleatoric = variances.mean(0)
    return means.mean(0), (epistemic + aleatoric).sqrt()


def train(model, x, y, epochs=4, lr=1e-2):
    device = next(model.parameters()).device
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    steps = epochs * -(-len(x) // 32)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=lr, total_steps=steps)
    for _ in range(epochs):
        model.train()
        for idx in torch.randperm(len(x)).split(32):
            xb, yb = x[idx].to(device), y[idx].to(device)
            mean, log_var = model(xb)
            loss = F.gaussian_nll_loss(mean, yb, log_var.exp())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
        mean, std = predict(model, x)
        inside = ((mean - y.to(device)).abs() < 2 * std).float().mean()
        print(f"coverage {inside.item():.2f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.rand(96, 3) * 4 - 2
    y = torch.sin(x[:, :1]) * x[:, 1:2] + 0.1 * torch.randn(96, 1)
    train(DropoutRegressor().to(device), x, y)
