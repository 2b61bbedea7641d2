import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from model import Translator
from text import PAD, Reverse, collate

V = 15
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(Reverse(60, V), batch_size=15, shuffle=True, collate_fn=collate)
net = Translator(V).to(device)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(2):
    net.train()
    for src, lengths, tgt in loader:
        src, tgt = src.to(device), tgt.to(device)
        logits = net(src, lengths, tgt)
        loss = F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=PAD)
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
    net.eval()
    print(epoch, loss.item(), net.greedy(src[:1], lengths[:1], 5).tolist())
