import torch
from torch import nn

from callbacks import History


class Trainer:
    def __init__(self, model, callbacks=()):
        self.model = model
        self.callbacks = list(callbacks)
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def _notify(self, event, *args):
        for cb in self.callbacks:
            getattr(cb, event)(*args)

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            for x, y in loader:
                recon, code = self.model(x)
                parts = {"recon": (recon - y).pow(2).mean(), "sparsity": code.abs().mean()}
                total = parts["recon"] + 1e-3 * parts["sparsity"]
                self.optimizer.zero_grad()
                total.backward()
                self.optimizer.step()
                logs = {**parts, "total": total}
                self._notify("on_batch_end", {k: v.detach() for k, v in logs.items()})
            self._notify("on_epoch_end", epoch)


class SparseAE(nn.Module):
    def __init__(self, d=12, k=5):
        super().__init__()
        self.enc, self.dec = nn.Linear(d, k), nn.Linear(k, d)

    def forward(self, x):
        code = self.enc(x).relu()
        return self.dec(code), code


data = torch.randn(48, 12)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(data, data), batch_size=12, shuffle=True)
history = History()
Trainer(SparseAE(), [history]).fit(loader, epochs=2)
print(len(history.epochs))
