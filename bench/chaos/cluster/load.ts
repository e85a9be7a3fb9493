/** Work that clients give to the installation while faults go on. */
export interface Load<Figures> {
  /** Asks for nothing new. */
  end(): Promise<void>;
  /** Whether everything that was accepted has come to its end. */
  isSettled(): Promise<boolean>;
  progress(): string;
  figures(): Promise<Figures>;
  close(): Promise<void>;
}
