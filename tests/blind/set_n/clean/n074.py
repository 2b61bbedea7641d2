import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __len__(self):
        return 9

    def __getitem__(self, i):
        return {"frames": torch.randn(4, 6), "label": i % 3, "path": f"clip_{i}.avi", "index": i}


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(6, 10, batch_first=True)
        self.fc = nn.Linear(10, 3)

    def forward(self, frames):
        return self.fc(self.rnn(frames)[1][-1])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Head().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
difficulty = torch.zeros(9)
for batch in DataLoader(Clips(), batch_size=3, shuffle=True):
    frames, label = batch["frames"].to(device), batch["label"].to(device)
    per_clip = nn.functional.cross_entropy(net(frames), label, reduction="none")
    opt.zero_grad()
    per_clip.mean().backward()
    opt.step()
    difficulty[batch["index"]] = per_clip.detach().cpu()
worst = difficulty.argmax().item()
print("hardest", worst, difficulty[worst].item())
