import torch
from torch import nn
from torch.utils.data import DataLoader

from data import DeviceLoader, Frames


class ClipNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.Linear(6, 8)
        self.fc = nn.Linear(8, 3)

    def forward(self, clip):
        return self.fc(self.rnn(clip).tanh().mean(dim=1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pin = device.type == "cuda"
    loader = DeviceLoader(DataLoader(Frames(), batch_size=4, shuffle=True, pin_memory=pin), device)
    model = ClipNet().to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        loss = nn.functional.cross_entropy(model(batch["clip"]), batch["label"])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(len(loader), "batches")


if __name__ == "__main__":
    main()
