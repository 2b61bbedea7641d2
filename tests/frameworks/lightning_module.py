import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(L.LightningModule):
    def __init__(self, width: int = 16):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, 3))
        self.outputs = []

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        noise = torch.randn(x.shape, device=self.device)
        loss = nn.functional.cross_entropy(self(x + noise), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        out = self(x)
        self.outputs.append(out)
        self.log("val", nn.functional.cross_entropy(out, y))

    def predict_step(self, batch, batch_idx):
        return self(batch[0]).cpu().numpy()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


data = TensorDataset(torch.randn(64, 8), torch.randint(0, 3, (64,)))
trainer = L.Trainer(max_epochs=1, accelerator="gpu", devices=1)
trainer.fit(Classifier(), DataLoader(data, batch_size=16), DataLoader(data, batch_size=16))
model = Classifier.load_from_checkpoint("last.ckpt")
model.eval()
