const ORDER = 3;
const LONGEST = 14;

/** Makes words in the likeness of others: each letter is one that followed the same three letters in one of them. */
export function createWordMaker(words: readonly string[], random: () => number): () => string {
  const followers = new Map<string, string[]>();
  for (const word of words) {
    const text = `${'^'.repeat(ORDER)}${word}$`;
    for (let at = ORDER; at < text.length; at += 1) {
      const before = text.slice(at - ORDER, at);
      const known = followers.get(before);
      if (known) known.push(text.charAt(at));
      else followers.set(before, [text.charAt(at)]);
    }
  }
  return () => {
    let text = '^'.repeat(ORDER);
    while (text.length < ORDER + LONGEST) {
      const choices = followers.get(text.slice(-ORDER)) ?? ['$'];
      const letter = choices[Math.floor(random() * choices.length)] ?? '$';
      if (letter === '$') break;
      text += letter;
    }
    return text.slice(ORDER);
  };
}
