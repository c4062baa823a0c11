/* A sample bot in C: it fills lines and drops few tiles. Copy it and improve `value`.
 *
 * Try it:   cc -O2 -o first_bot first_bot.c && azul-table match ./first_bot greedy --games 2
 *
 * It reads from standard input and writes to standard output. Write your log to standard error, never to
 * standard output; it is kept for you. Flush after each line, or the match waits for it in vain.
 */
#include <stdio.h>

static const char colours[] = "gobyr";

struct board {
    int held[5];       /* tiles in each pattern line */
    char colour[5];    /* and of which colour; '.' if empty */
    char wall[5][5];   /* a colour or '.' */
    int floor, score;
};

static void read_board(struct board *board)
{
    for (int line = 0; line < 5; line++)
        scanf("%d %c", &board->held[line], &board->colour[line]);
    for (int row = 0; row < 5; row++)
        for (int column = 0; column < 5; column++)
            scanf(" %c", &board->wall[row][column]);
    scanf("%d %d", &board->floor, &board->score);
}

/* How many tiles of a colour still fit into a line; the floor is line 5. */
static int room(const struct board *board, int line, char colour)
{
    if (line == 5 || (board->held[line] && board->colour[line] != colour))
        return 0;
    for (int column = 0; column < 5; column++)
        if (board->wall[line][column] == colour)
            return 0;
    return line + 1 - board->held[line];
}

/* The value of placing so many tiles where so many fit: improve this function. */
static int value(int tiles, int room)
{
    int placed = tiles < room ? tiles : room;
    int completed = room > 0 && placed == room;
    return placed + 2 * completed - 3 * (tiles - placed);
}

int main(void)
{
    int milliseconds;
    printf("state\n"); /* the block to read on every turn */
    fflush(stdout);
    while (scanf("%d", &milliseconds) == 1) { /* until the game is over */
        int tiles[6][5], marker; /* display 0 is the centre */
        char taker[9];           /* of the marker: you, opponent or none */
        struct board own, other;
        int best = -1000, best_display = 0, best_line = 0;
        char best_colour = 0;

        for (int display = 0; display < 6; display++) {
            for (int colour = 0; colour < 5; colour++)
                scanf("%d", &tiles[display][colour]);
            if (display == 0)
                scanf("%d", &marker); /* 1 while it lies in the centre */
        }
        scanf("%8s", taker);
        read_board(&own);
        read_board(&other);

        for (int display = 0; display < 6; display++)
            for (int colour = 0; colour < 5; colour++)
                for (int line = 0; line < 6; line++) {
                    int number = tiles[display][colour];
                    int free = room(&own, line, colours[colour]);
                    if (number && (free || line == 5) && value(number, free) > best) {
                        best = value(number, free);
                        best_display = display;
                        best_colour = colours[colour];
                        best_line = line;
                    }
                }
        fprintf(stderr, "%d ms left, the best move has value %d\n", milliseconds, best);
        printf("%d %c %d\n", best_display, best_colour, best_line);
        fflush(stdout);
    }
    return 0;
}
