import torch
import torch.nn.functional as F

from groups import layerwise
from model import SpeakerNet


def run_stage(model, optimizer, n_speakers, steps, device):
    params = [p for g in optimizer.param_groups for p in g["params"]]
    model.train()
    for _ in range(steps):
        x = torch.randn(8, 12, 30, device=device)
        y = torch.randint(0, n_speakers, (8,), device=device)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 3.0)
        optimizer.step()
    return loss.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SpeakerNet(10).to(device)
    print("pretrain", run_stage(model, torch.optim.Adam(model.parameters(), lr=1e-3), 10, 3, device))

    model.new_head(4)
    model.frame[0].requires_grad_(False)
    optimizer = torch.optim.AdamW(layerwise(model, lr=1e-3))
    print("new head", run_stage(model, optimizer, 4, 3, device))

    model.frame[0].requires_grad_(True)
    optimizer.add_param_group({"params": list(model.frame[0].parameters()), "lr": 1e-5, "weight_decay": 0.0})
    print("unfrozen", run_stage(model, optimizer, 4, 3, device))


if __name__ == "__main__":
    main()
