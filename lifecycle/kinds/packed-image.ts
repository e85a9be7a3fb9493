/** The results of a packaging. */
interface Packed {
  results: readonly { name: string; value: string }[];
}

/** Whether an image is the one that a packaging made: by its name, and by its digest where the image names it. */
export function isPackedImage({ results }: Packed, image: string): boolean {
  const [name, digest] = image.split('@', 2);
  const valueOf = (result: string) => results.find((each) => each.name === result)?.value;
  return valueOf('image') === name && (digest === undefined || valueOf('imageDigest') === digest);
}
