import torch
import torch.nn as nn
import torch.nn.functional as F


class AmpLoop:
    """fp16 with a scaler on an accelerator, bf16 without one on the host."""

    def __init__(self, model, accum=2, clip=1.0):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        on_cuda = self.device.type == "cuda"
        self.dtype = torch.float16 if on_cuda else torch.bfloat16
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=on_cuda)
        self.model = model.to(self.device)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 2)
        self.accum, self.clip = accum, clip

    def loss(self, x, y):
        with torch.autocast(device_type=self.device.type, dtype=self.dtype):
            logits = self.model(x)
            return F.cross_entropy(logits, y)

    def update(self):
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)

    def fit(self, batches):
        self.model.train()
        for i, (x, y) in enumerate(batches, start=1):
            x, y = x.to(self.device), y.to(self.device)
            loss = self.loss(x, y) / self.accum
            self.scaler.scale(loss).backward()
            if i % self.accum == 0:
                self.update()
        self.scheduler.step()
        return loss.item() * self.accum


if __name__ == "__main__":
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
    loop = AmpLoop(net)
    data = [(torch.randn(8, 10), torch.randint(0, 3, (8,))) for _ in range(4)]
    for epoch in range(2):
        print(epoch, loop.fit(data))
