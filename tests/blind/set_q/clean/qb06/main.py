import torch

from lora import inject, lora_state, mark_only_lora, merge
from net import Encoder


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    base = Encoder()
    model = inject(base, rank=2, targets=("q", "v"))
    mark_only_lora(model, extra=("head",))
    model.to(device)
    params = [p for p in model.parameters() if p.requires_grad]
    total = sum(p.numel() for p in model.parameters())
    print(f"training {sum(p.numel() for p in params)} of {total}")
    opt = torch.optim.AdamW(params, lr=1e-2)
    x = torch.randn(24, 5, 16).to(device)
    y = (x[:, 0, 0] > 0).long()
    model.train()
    for _ in range(10):
        opt.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        before = model(x)
        merge(model)
        after = model(x)
    print(loss.item(), torch.allclose(before, after, atol=1e-4), len(lora_state(model)))


if __name__ == "__main__":
    main()
