import torch
from torch import nn


def stage_devices(count):
    if not torch.cuda.is_available():
        return [torch.device("cpu")] * count
    gpus = torch.cuda.device_count()
    return [torch.device("cuda", i * gpus // count) for i in range(count)]


class Stage(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU()) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


class PipelinedNet(nn.Module):
    def __init__(self, dim=16, classes=5, stages=3):
        super().__init__()
        self.devices = stage_devices(stages)
        self.stages = nn.ModuleList(Stage(dim, 2).to(d) for d in self.devices)
        self.head = nn.Linear(dim, classes).to(self.devices[-1])

    @property
    def input_device(self):
        return self.devices[0]

    @property
    def output_device(self):
        return self.devices[-1]

    def forward(self, x):
        for stage, device in zip(self.stages, self.devices):
            x = stage(x.to(device))
        return self.head(x)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.criterion = nn.CrossEntropyLoss()

    def step(self, x, y):
        logits = self.model(x.to(self.model.input_device))
        loss = self.criterion(logits, y.to(self.model.output_device))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    trainer = Trainer(PipelinedNet())
    for _ in range(4):
        print(f"{trainer.step(torch.randn(8, 16), torch.randint(0, 5, (8,))):.3f}")
