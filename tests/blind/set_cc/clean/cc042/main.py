import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from trainer import TrainArgs, Trainer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(TensorDataset(torch.randn(70, 8), torch.randint(0, 3, (70,))), batch_size=10, shuffle=True,
                    pin_memory=device.type == "cuda")
trainer = Trainer(nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 3)), TrainArgs(), device)
for _ in range(2):
    print(trainer.epoch(loader))
