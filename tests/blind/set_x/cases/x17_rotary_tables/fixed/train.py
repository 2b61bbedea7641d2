import torch

from rope import Block


def build(seq_len: int) -> Block:
    block = Block()
    with torch.no_grad():
        out = block(torch.zeros(1, seq_len, 16)) 
    assert out.shape == (1, seq_len, 16)
    return block


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = build(12).to(device)
    opt = torch.optim.Adam(model.parameters())
    for length in (8, 12, 6):
        x = torch.randn(2, length, 16, device=device)
        loss = (model(x) - x.roll(1, dims=1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
