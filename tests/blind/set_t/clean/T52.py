import math
import torch
import torch.nn as nn
import torch.nn.functional as F

# character model with truncated backpropagation
corpus = "the quick brown fox jumps over the lazy dog. " * 12
vocab = sorted(set(corpus))
lookup = {c: i for i, c in enumerate(vocab)}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ids = torch.tensor([lookup[c] for c in corpus], device=device)

batch, bptt = 4, 16
usable = (len(ids) - 1) // batch * batch
data = ids[:usable].view(batch, -1)
goal = ids[1 : usable + 1].view(batch, -1)

emb = nn.Embedding(len(vocab), 16).to(device)
rnn = nn.LSTM(16, 32, num_layers=2, batch_first=True).to(device)
head = nn.Linear(32, len(vocab)).to(device)
params = [*emb.parameters(), *rnn.parameters(), *head.parameters()]
opt = torch.optim.RMSprop(params, lr=2e-3)

for epoch in range(2):
    state = None
    total, count = 0.0, 0
    for start in range(0, data.size(1), bptt):
        x = data[:, start : start + bptt]
        y = goal[:, start : start + bptt]
        if state is not None:
            state = tuple(s.detach() for s in state)
        out, state = rnn(emb(x), state)
        loss = F.cross_entropy(head(out).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(params, 0.5)
        opt.step()
        total += loss.item() * y.numel()
        count += y.numel()
    print(f"epoch {epoch} ppl {math.exp(total / count):.2f}")

# sample with temperature and nucleus filtering
temperature, top_p = 0.8, 0.9
text = "the "
with torch.no_grad():
    out, state = rnn(emb(torch.tensor([[lookup[c] for c in text]], device=device)))
    for _ in range(40):
        logits = head(out[:, -1]) / temperature
        probs, order = logits.softmax(-1).sort(descending=True)
        keep = probs.cumsum(-1) - probs < top_p
        probs = probs * keep
        pick = order.gather(-1, torch.multinomial(probs / probs.sum(-1, keepdim=True), 1))
        text += vocab[pick.item()]
        out, state = rnn(emb(pick), state)
print(text)
