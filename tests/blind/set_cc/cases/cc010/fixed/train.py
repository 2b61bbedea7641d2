import torch

from config import ClipConfig
from model import TwoTower


def train(cfg):
    model = TwoTower(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    for step in range(cfg.steps):
        pixels = torch.randn(12, cfg.image_dim, device=cfg.device)
        ids = torch.randint(0, cfg.text_vocab, (12, 7), device=cfg.device)
        loss = model(pixels, ids)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return model


if __name__ == "__main__":
    trained = train(ClipConfig())
    print(len(trained.state_dict()), "tensors in the checkpoint")
