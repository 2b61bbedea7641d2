import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LitRegressor(L.LightningModule):
    def __init__(self, d=6, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.lr = lr
        self.net = nn.Sequential(nn.Linear(d, 16), nn.ReLU(), nn.Linear(16, 1))
        self.outputs = []

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def _shared(self, batch):
        x, y = batch
        noise = torch.randn(x.shape, device=self.device) * 0.01
        return F.mse_loss(self(x + noise), y)

    def training_step(self, batch, batch_idx):
        loss = self._shared(batch)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        loss = self._shared(batch)
        self.outputs.append(loss)
        self.log("val_loss", loss, prog_bar=True)

    def on_validation_epoch_end(self):
        self.log("val_mean", torch.stack(self.outputs).mean())
        self.outputs.clear()

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.lr)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
        return {"optimizer": optimizer, "lr_scheduler": scheduler}


if __name__ == "__main__":
    x = torch.randn(16, 6)
    loader = DataLoader(TensorDataset(x, x.sum(1)), batch_size=8)
    L.Trainer(max_epochs=1, accelerator="auto").fit(LitRegressor(), loader)
