import { giveLifeSign } from '@turnlog/core/life-sign'

const [, , file, then] = process.argv
const sign = await giveLifeSign(file)
process.stdout.write(sign === undefined ? 'none' : 'given', () => {
  if (then === 'exit') process.exit()
  if (then === 'end') sign.end()
  if (then === 'spin') for (;;);
  if (then === 'wait') process.stdin.resume() // until it is killed
})
