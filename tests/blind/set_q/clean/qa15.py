import torch
import torch.nn as nn


class SpeechModel(nn.Module):
    def __init__(self, n_mels=20, vocab=12):
        super().__init__()
        self.conv = nn.Conv1d(n_mels, 32, 3, stride=2, padding=1)
        self.rnn = nn.GRU(32, 32, batch_first=True)
        self.proj = nn.Linear(32, vocab)

    def forward(self, feats, feat_lens):
        x = torch.relu(self.conv(feats.transpose(1, 2))).transpose(1, 2)
        x, _ = self.rnn(x)
        out_lens = torch.div(feat_lens - 1, 2, rounding_mode="floor") + 1
        return self.proj(x).log_softmax(-1), out_lens


def fake_loader(n):
    for _ in range(n):
        lens = torch.randint(40, 61, (4,))
        feats = torch.randn(4, int(lens.max()), 20)
        tgt_lens = torch.randint(3, 8, (4,))
        targets = torch.randint(1, 12, (int(tgt_lens.sum()),))
        yield feats, lens, targets, tgt_lens


@torch.no_grad()
def greedy_decode(log_probs, lens, blank=0):
    best = log_probs.argmax(-1).cpu()
    hyps = []
    for row, n in zip(best, lens.tolist()):
        path = torch.unique_consecutive(row[:n])
        hyps.append(path[path != blank].tolist())
    return hyps


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SpeechModel().to(device)
    ctc = nn.CTCLoss(blank=0, zero_infinity=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step, (feats, lens, targets, tgt_lens) in enumerate(fake_loader(5)):
        log_probs, out_lens = model(feats.to(device), lens)
        # lengths stay on the host, CTC reads them there
        loss = ctc(log_probs.transpose(0, 1), targets.to(device), out_lens.tolist(), tgt_lens.tolist())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 400)
        optimizer.step()
    print(loss.item(), greedy_decode(log_probs, out_lens)[0])
