import { Command } from 'commander';
import { didYouMean } from '../config/did-you-mean.ts';

/** Reports an unknown option before a missing one, and suggests what it abbreviates: commander takes --dry for --day. */
export class StrictCommand extends Command {
  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name);
  }

  override parseOptions(argv: string[]) {
    const parsed = super.parseOptions(argv);
    const [unknown] = parsed.unknown;
    const isHelp = parsed.unknown.some((word) => ['-h', '--help'].includes(word));
    // The program itself leaves the options of its commands to them.
    if (unknown !== undefined && !isHelp && this.parent !== null) this.#refuse(unknown);
    return parsed;
  }

  #refuse(flag: string): never {
    const known = this.options.map(({ long }) => long!);
    const longer = known.filter((long) => flag.length > 3 && long.startsWith(flag));
    const meant = longer.length === 0 ? didYouMean(flag, known) : ` (did you mean ${longer.join(' or ')}?)`;
    return this.error(`error: unknown option '${flag}'${meant}`, { code: 'commander.unknownOption' });
  }
}
