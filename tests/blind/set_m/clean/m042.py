import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, tokens=8, dim=16):
        super().__init__()
        self.token_mix = nn.Linear(tokens, tokens)
        self.channel_mix = nn.Linear(dim, dim)

    def forward(self, x):
        x = x + self.token_mix(x.transpose(1, 2)).transpose(1, 2)
        return x + self.channel_mix(x).relu()


class Classifier(nn.Module):
    def __init__(self, depth=2, n_classes=5):
        super().__init__()
        self.layers = nn.Sequential(*(Mixer() for _ in range(depth)))
        self.fc = nn.Linear(16, n_classes)

    def forward(self, x):
        return self.fc(self.layers(x).mean(1))


def count_parameters():
    with torch.device("meta"):
        skeleton = Classifier()
    return sum(p.numel() for p in skeleton.parameters())


def restore(state, device):
    with torch.device("meta"):
        model = Classifier()
    model.load_state_dict(state, assign=True)
    return model.to(device).eval()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print("parameters:", count_parameters())
weights = Classifier().state_dict()
model = restore(weights, device)
with torch.inference_mode():
    print(model(torch.randn(2, 8, 16, device=device)).argmax(-1).tolist())
