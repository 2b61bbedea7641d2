import logging

import torch

from callbacks import CallbackList, History
from vae import VAE, elbo


class Trainer:
    def __init__(self, model, lr=1e-3, callbacks=(), device="cpu", grad_clip=None):
        self.device = torch.device(device)
        self.model = model.to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.callbacks = list(callbacks)
        self.cb = CallbackList(self.callbacks)
        self.grad_clip = grad_clip

    def training_step(self, x):
        recon, mu, logvar = self.model(x)
        loss, parts = elbo(x, recon, mu, logvar)
        self.optimizer.zero_grad()
        loss.backward()
        if self.grad_clip is not None:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.grad_clip)
        self.optimizer.step()
        return {"loss": loss.item(), **parts}

    def fit(self, loader, epochs):
        self.model.train()
        for epoch in range(epochs):
            for x in loader:
                logs = self.training_step(x.to(self.device))
                self.cb.on_step_end(self, logs)
            self.cb.on_epoch_end(self, epoch)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    torch.manual_seed(1)
    loader = torch.utils.data.DataLoader(torch.randn(32, 12), batch_size=8)
    trainer = Trainer(VAE(), callbacks=[History()], grad_clip=1.0,
                      device="cuda" if torch.cuda.is_available() else "cpu")
    trainer.fit(loader, epochs=2)
