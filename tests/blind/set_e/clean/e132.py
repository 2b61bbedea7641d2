import torch
from torch import nn


class Tacotron(nn.Module):
    """Autoregressive decoder with teacher forcing and a stop token."""

    def __init__(self, vocab=12, mels=4, d=8):
        super().__init__()
        self.mels, self.d = mels, d
        self.emb = nn.Embedding(vocab, d)
        self.pre = nn.Sequential(nn.Linear(mels, d), nn.ReLU(), nn.Dropout(0.5))
        self.cell = nn.LSTMCell(2 * d, d)
        self.query = nn.Linear(d, d, bias=False)
        self.mel, self.stop = nn.Linear(2 * d, mels), nn.Linear(2 * d, 1)

    def step(self, frame, memory, state):
        h, c, ctx = state
        h, c = self.cell(torch.cat([self.pre(frame), ctx], -1), (h, c))
        w = (memory @ self.query(h).unsqueeze(-1)).softmax(1)
        ctx = (w * memory).sum(1)
        both = torch.cat([h, ctx], -1)
        return self.mel(both), self.stop(both).squeeze(-1), (h, c, ctx)

    def start(self, memory):
        zeros = memory.new_zeros(memory.size(0), self.d)
        return memory.new_zeros(memory.size(0), self.mels), (zeros, zeros, zeros)

    def forward(self, ids, mels):
        memory = self.emb(ids)
        frame, state = self.start(memory)
        outs, stops = [], []
        for target in mels.unbind(1):
            out, stop, state = self.step(frame, memory, state)
            outs.append(out)
            stops.append(stop)
            frame = target
        return torch.stack(outs, 1), torch.stack(stops, 1)

    @torch.inference_mode()
    def infer(self, ids, max_frames=5):
        self.eval()
        memory = self.emb(ids)
        frame, state = self.start(memory)
        frames = []
        while len(frames) < max_frames:
            frame, stop, state = self.step(frame, memory, state)
            frames.append(frame)
            if torch.sigmoid(stop).min().item() > 0.5:
                break
        return torch.stack(frames, 1).cpu().numpy()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tacotron().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.train()
    for _ in range(2):
        ids, mels = torch.randint(0, 12, (3, 6), device=device), torch.randn(3, 7, 4, device=device)
        stop = torch.zeros(3, 7, device=device)
        stop[:, -1] = 1
        out, stops = model(ids, mels)
        loss = nn.functional.l1_loss(out, mels) + nn.functional.binary_cross_entropy_with_logits(stops, stop)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    print(loss.item(), model.infer(torch.randint(0, 12, (1, 4), device=device)).shape)


if __name__ == "__main__":
    main()
