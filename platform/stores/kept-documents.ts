/** The object of a text, and its place in the map. */
const OVERHEAD_BYTES = 150;

/**
 * Documents as JSON text, up to a number of bytes. Compressed, they would take a third, and five times as long to read:
 * too long for a page of 500.
 */
export class KeptDocuments<T extends object> {
  readonly #maxBytes: number;
  readonly #texts = new Map<string, Buffer>();
  #bytes = 0;

  constructor({ maxBytes }: { maxBytes: number }) {
    this.#maxBytes = maxBytes;
  }

  /** Keeps the document if there is room. */
  set(id: string, document: T): void {
    this.delete(id);
    const text = Buffer.from(JSON.stringify(document));
    const size = text.length + OVERHEAD_BYTES;
    if (this.#bytes + size > this.#maxBytes) return;
    this.#texts.set(id, text);
    this.#bytes += size;
  }

  get(id: string): T | undefined {
    const text = this.#texts.get(id);
    return text && (JSON.parse(text.toString()) as T); // it was written from one
  }

  delete(id: string): void {
    const text = this.#texts.get(id);
    if (text === undefined) return;
    this.#texts.delete(id);
    this.#bytes -= text.length + OVERHEAD_BYTES;
  }
}
