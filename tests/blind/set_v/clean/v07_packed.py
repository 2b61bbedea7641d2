import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence


class Node:
    def __init__(self, data, children=()):
        self.data = data
        self.children = list(children)


def tree_mean(node):
    node.data = node.data / 2
    for c in node.children:
        tree_mean(c)
        node.data += c.data
    return node.data


class PackedDropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, packed):
        kept = nn.functional.dropout(packed.data, self.p, self.training)
        return PackedSequence(kept, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 8, padding_idx=0)
        self.drop = PackedDropout(0.2)
        self.rnn = nn.LSTM(8, 8, batch_first=True)
        self.out = nn.Linear(8, 2)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.emb(ids), lengths, batch_first=True, enforce_sorted=False)
        states, (h, _) = self.rnn(self.drop(packed))
        padded, _ = pad_packed_sequence(states, batch_first=True)
        return self.out(padded.mean(1) + h[-1])


net = Reader()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    ids, lengths = torch.randint(1, 30, (4, 6)), torch.tensor([6, 2, 4, 3])
    loss = nn.functional.cross_entropy(net(ids, lengths), torch.tensor([0, 1, 0, 1]))
    opt.zero_grad()
    loss.backward()
    opt.step()
root = Node(4.0, [Node(2.0), Node(6.0)])
print(loss.item(), tree_mean(root))
