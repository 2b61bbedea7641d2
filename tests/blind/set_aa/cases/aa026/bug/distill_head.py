import torch
import torch.nn.functional as F

from speech.classifier import SpeakerNet
from speech.stages import stage

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
STAGES = [("probe", 3, 1e-2), ("full", 2, 1e-3)]
drift = {}


def snapshot(module):
    return torch.cat([p.detach().flatten() for p in module.parameters()]).clone()


def main(speakers=4):
    model = SpeakerNet(speakers).to(device)
    x = torch.randn(16, 12, 30, device=device)
    y = torch.randint(0, speakers, (16,), device=device)
    for name, epochs, lr in STAGES:
        start = snapshot(model.encoder)
        with stage(name, model) as params:
            opt = torch.optim.Adam(params, lr=lr)
            for _ in range(epochs):
                loss = F.cross_entropy(model(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
        drift[name] = (snapshot(model.encoder) - start).norm().item()
        print(name, round(loss.item(), 4), drift[name])


main()
