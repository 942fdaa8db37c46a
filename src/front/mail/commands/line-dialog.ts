// What POP3 and SMTP share: one command or answer per line.
import type { ClientDialog, Outcome } from '../model.ts';
import type { InputBuffer } from './input-buffer.ts';
import { type LineCommand, parseAnswer, parseLineCommand } from './line-command.ts';
import type { Sasl, SaslStep } from './sasl.ts';

export abstract class LineDialog implements Pick<ClientDialog, 'bufferSize' | 'restart' | 'invalid' | 'read'> {
  abstract readonly bufferSize: number;
  protected abstract readonly rules: Parameters<typeof parseLineCommand>[1];
  protected abstract readonly sasl: Sasl;

  abstract restart(): void;
  abstract invalid(): string;
  protected abstract run(command: LineCommand): Outcome;
  protected abstract exchange(step: SaslStep): Outcome;

  read(input: InputBuffer): Outcome {
    const taken = input.takeLine(this.bufferSize);
    if (typeof taken === 'string') return taken === 'more' ? { act: 'more' } : { act: 'too long', text: this.invalid() };
    const { line } = taken;
    if (this.sasl.active) {
      const answer = parseAnswer(line);
      if (answer !== null) return this.exchange(this.sasl.continue(answer));
    } else {
      const command = parseLineCommand(line, this.rules);
      if (command) return this.run(command);
    }
    this.restart();
    return { act: 'reply', text: this.invalid(), malformed: true };
  }
}
