import torch
from torch.nn.utils.rnn import pad_sequence

PAD, BOS, EOS = 0, 1, 2


class Reverse(torch.utils.data.Dataset):
    def __init__(self, n, vocab):
        self.rows = [torch.randint(3, vocab, (int(k),)) for k in torch.randint(2, 7, (n,))]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        s = self.rows[i]
        edge = torch.tensor
        return s, torch.cat([edge([BOS]), s.flip(0), edge([EOS])])


def collate(pairs):
    src, tgt = zip(*sorted(pairs, key=lambda p: -len(p[0])))
    return pad_sequence(src, True, PAD), torch.tensor([len(s) for s in src]), pad_sequence(tgt, True, PAD)
