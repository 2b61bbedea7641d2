import torch
from torch import nn


class Loop:
    def __init__(self, model, accumulate=4, clip=1.0):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.accumulate, self.clip = accumulate, clip

    def backward(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y) / self.accumulate
        loss.backward()
        return loss.item()

    def update(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def run(self, batches):
        self.optimizer.zero_grad(set_to_none=True)
        running = 0.0
        for i, (x, y) in enumerate(batches, 1):
            running += self.backward(x.to(self.device), y.to(self.device))
            if i % self.accumulate == 0 or i == len(batches):
                self.update()
                print(f"{i:3d} {running:.4f}")
                running = 0.0


model = nn.Sequential(nn.Linear(7, 20), nn.GELU(), nn.Linear(20, 1))
data = [(torch.randn(8, 7), torch.randn(8, 1)) for _ in range(10)]
Loop(model).run(data)
