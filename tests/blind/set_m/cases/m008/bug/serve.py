import torch
from net import Config, Decoder, load_decoder


@torch.inference_mode()
def complete(model, ids, n):
    for _ in range(n):
        logits = model(ids)[:, -1]
        ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], dim=1)
    return ids


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    cfg = Config()
    state = Decoder(cfg).state_dict()  # stands for the downloaded weights
    model = load_decoder(cfg, state, device)
    ids = torch.zeros(1, 1, dtype=torch.long, device=device)
    print(complete(model, ids, 5).tolist())


if __name__ == "__main__":
    main()
